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
exit $failed
