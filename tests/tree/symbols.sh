#!/bin/sh
# symbols.sh: what does the shared library export?   symbols.sh check|list libdataview.so
# `check` compares with exports.txt in this folder. Every name begins with dv_ and has the version of the ABI.
set -u
wanted=$(dirname "$0")/exports.txt

versioned() {
    nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }'
}

list() {
    versioned "$1" | sed 's/@.*//' | LC_ALL=C sort
}

check() {
    if list "$1" | grep -v '^dv_'; then
        echo "exported, but not public: the names above do not begin with dv_"
        return 1
    fi
    if versioned "$1" | grep -v '@@DATAVIEW_[0-9]*\.[0-9]*$'; then
        echo "the names above have no version of the ABI: see cmake/symbols.map.in"
        return 1
    fi
    list "$1" | diff -u "$wanted" - && return
    echo "the exports have changed; if that is meant: ./dev exports"
    return 1
}

"$@"
