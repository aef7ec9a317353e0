/* SPDX-License-Identifier: MIT */
/* golden_map.c: reads the pairs of a params.json. */
#include "support/golden_map.h"
#include "support/test.h"
#include <stdio.h>
#include <string.h>

#define COLUMN(name) "{\"name\":\"" name "\",\"type\":\"%s\",\"metadata\":{}}"

/* What stands after a member's name, up to the next quote: the text of a type. */
static void copy_member(char dst[32], const char *params, const char *name)
{
    const char *at = strstr(params, name);
    cr_assert_not_null(at);
    at += strlen(name) + strlen(": \"");
    snprintf(dst, 32, "%.*s", (int)strcspn(at, "\""), at);
}

/* The pairs, a line each, without blanks between their parts. */
static void put_pairs(dvt_lines *lines, const char *params)
{
    const char *at = strstr(params, "\"pairs\"");
    bool is_text = false;
    cr_assert_not_null(at);
    at = strchr(at, '[') + 1;
    for (int depth = 0; depth > 0 || *at != ']'; at++) {
        if (*at == '"')
            is_text = !is_text;
        depth += !is_text && strchr("[{", *at) ? 1 : 0;
        depth -= !is_text && strchr("]}", *at) ? 1 : 0;
        if (is_text || (depth > 0 && !strchr(" \n", *at)))
            dvt_lines_add(lines, at, 1);
        else if (*at == '"' || *at == ']')
            dvt_lines_print(lines, depth > 0 ? "%c" : "%c\n", *at);
    }
}

void dvt_golden_map_read(dvt_golden_map *map, const char *params)
{
    char key[32], value[32];
    *map = (dvt_golden_map){.values_as_keys = strstr(params, "treatValuesAsKeyType") != NULL};
    copy_member(key, params, "\"keyType\"");
    copy_member(value, params, "\"valueType\"");
    dvt_lines_print(&map->lines, "{\"rows\":0,\"columns\":[" COLUMN("K") "," COLUMN("V") "]}\n",
                    key, value);
    put_pairs(&map->lines, params);
    dvt_json_table_read(&map->table, map->lines.data);
}

void dvt_golden_map_free(dvt_golden_map *map)
{
    dvt_json_table_free(&map->table);
    dvt_lines_free(&map->lines);
}
