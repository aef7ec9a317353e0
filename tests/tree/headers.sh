#!/bin/sh
# headers.sh: does each public header compile alone?   headers.sh c11|c++17 COMPILER
set -u
standard=$1
compiler=$2
case $standard in
c++*) language=c++ ;;
*) language=c ;;
esac

failed=0
for header in include/dataview/*.h; do
    line="#include <dataview/${header##*/}>"
    printf '%s\n%s\n' "$line" "$line" | # twice: its guard is part of it
        "$compiler" -x "$language" -std="$standard" -Wall -Wextra -Wpedantic -Werror \
            -Iinclude -fsyntax-only - || { echo "$header: not alone as $standard"; failed=1; }
done
# The structs of DLPack, with the official header before or after, if it is installed.
official='#include <dlpack/dlpack.h>'
ours='#include <dataview/dlpack.h>'
compile_both() {
    printf '%s\n%s\nint32_t ndim(DLTensor *t) { return t->ndim; }\n' "$1" "$2" |
        "$compiler" -x "$language" -std="$standard" -Wall -Wextra -Werror -Iinclude -fsyntax-only - ||
        { echo "dlpack.h: not as $standard after $1"; failed=1; }
}
if echo "$official" | "$compiler" -x "$language" -fsyntax-only - 2>/dev/null; then
    compile_both "$official" "$ours"
    compile_both "$ours" "$official"
fi
exit $failed
