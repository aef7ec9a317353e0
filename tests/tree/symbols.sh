#!/bin/sh
# symbols.sh: what does the shared library export?   symbols.sh check|list libdataview.so
# `check` compares with exports.txt beside this script; nothing but dv_ may be in it.
set -u
wanted=$(dirname "$0")/exports.txt

list() {
    nm -D --defined-only "$1" | awk '{ print $3 }' | LC_ALL=C sort
}

check() {
    if list "$1" | grep -v '^dv_'; then
        echo "exported, but not public: the names above do not begin with dv_"
        return 1
    fi
    list "$1" | diff -u "$wanted" - && return
    echo "the exports have changed; if that is meant: ./dev exports"
    return 1
}

"$@"
