/* SPDX-License-Identifier: MIT */
/* expression_table.c: the rows are text of the loader's dialect. */
#include "support/expression_table.h"
#include "support/text_table.h"

static const char options[] =
    "sep=; sparse- col=i1:I1:0 col=i2:I2:1 col=i4:I4:2 col=i8:I8:3 col=u1:U1:4 col=u2:U2:5 "
    "col=u4:U4:6 "
    "col=u8:U8:7 col=r4:R4:8 col=r8:R8:9 col=tx:TX:10 col=bl:BL:11 col=ts:TS:12 col=dt:DT:13 "
    "col=dz:DZ:14 col=ug:UG:15 col=key:U4[0-4]:16 col=v:R4:17-18 "
    "col={name={two words} type=I4 src=19}";

static const char rows[] =
    "1;1;1;1;1;1;1;1;1;1;a;1;1:00:00;2024-05-01;2024-05-01T00:00:00+02:00;"
    "0x00000000000000000000000000000001;0;1;2;1\n"
    "2;2;2;2;2;2;2;2;2.5;2.5;Ab;0;2:00:00;2024-02-29;2024-02-28T23:30:00-02:00;"
    "0x00000000000000000000000000000002;1;;2;2\n"
    "-3;-3;-3;-3;3;3;3;3;-0.1;-0.1;b\xC3\xA9%;1;-1:00:00;1999-12-31;1999-12-31;"
    "0x00000000000000000000000000000003;2;3;4;3\n"
    ";;;;0;0;0;0;;;;;;;;;;;;\n"
    "127;32767;2147483647;9223372036854775807;255;65535;4294967295;9223372036854775807;1e30;1e300;"
    "\xC3\x89_x;0;9.00:00:00;9999-12-31;9999-12-30;0xffffffffffffffffffffffffffffffff;3;0;0;4\n"
    "-127;-32767;-2147483647;-9223372036854775807;7;7;7;7;Infinity;-Infinity;'q' \"r\";1;"
    "-9.00:00:00;0001-01-01;0001-01-02;0x00000000000000000000000000000007;4;5;6;5\n"
    "0;0;0;0;0;0;0;0;0;-0;\xF0\x9F\x98\x80;0;0:00:00;2000-02-29;2000-02-29T12:00:00Z;"
    "0x00000000000000000000000000000000;0;7;8;6\n"
    "5;5;5;5;5;5;5;5;0.1;0.1;a;;5:00:00;2024-05-01;2024-05-01T00:00:00Z;"
    "0x00000000000000000000000000000005;;9;;\n";

dv_view *dvt_expression_table(void)
{
    dv_error err = DV_ERROR_INIT;
    return dvt_text_open(options, rows, sizeof rows - 1, NULL, &err);
}
