#!/bin/sh
# outside.sh: does what we install serve a stranger, by CMake and by pkg-config, in C and in C++?
# outside.sh BUILD_DIR CMAKE
set -eu
build=$1
cmake=$2
here=$(cd "$(dirname "$0")" && pwd)
sample=$here/../../examples/sample.idv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH PKG_CONFIG_PATH CFLAGS CXXFLAGS LDFLAGS

"$cmake" --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix" # what was installed may be moved
pc=$(find "$work/prefix" -name dataview.pc)

echo "by find_package:"
"$cmake" -G Ninja -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
"$cmake" --build "$work/cmake" >/dev/null
"$work/cmake/outside_c" "$sample"
"$work/cmake/outside_static" "$sample"
"$work/cmake/outside_cxx" "$sample"

echo "by pkg-config:"
PKG_CONFIG_PATH=$(dirname "$pc")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH LD_LIBRARY_PATH
# shellcheck disable=SC2046 # the flags are words
cc "$here/outside.c" -o "$work/c" $(pkg-config --cflags --libs dataview)
# shellcheck disable=SC2046
c++ "$here/outside.cc" -o "$work/cxx" $(pkg-config --cflags --libs dataview)
"$work/c" "$sample"
"$work/cxx" "$sample"

echo "the command:"
"$work/prefix/bin/dataview" info "$sample" >/dev/null
test -f "$work/prefix/share/doc/dataview/LICENSE"
for page in man/man1/dataview.1 man/man1/dataview-head.1 bash-completion/completions/dataview \
    zsh/site-functions/_dataview; do
    test -s "$work/prefix/share/$page"
done
