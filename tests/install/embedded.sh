#!/bin/sh
# embedded.sh: can a project embed the tree, and does it then get the library and nothing else?
# Does a tree on its own build optimised, and without the command need no jansson?  Does
# DV_STATIC_DEPS link archives?
# embedded.sh CMAKE
set -eu
cmake=$1
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH PKG_CONFIG_PATH CFLAGS CXXFLAGS LDFLAGS

# A machine that has what the library needs, but no jansson.
mkdir "$work/pc"
cp "$(pkg-config --variable=pcfiledir libdeflate)/libdeflate.pc" "$work/pc"
export PKG_CONFIG_LIBDIR="$work/pc"

for how in add_subdirectory FetchContent; do
    echo "by $how:"
    "$cmake" -G Ninja -S "$here" -B "$work/build" -DHOW=$how -DDATAVIEW="$tree" \
        -DDV_LEVELS=scalar -DCMAKE_C_FLAGS=-O0 >/dev/null
    "$cmake" --build "$work/build" >"$work/log" || { cat "$work/log" && exit 1; }
    for program in outside_c outside_static outside_cxx; do
        "$work/build/$program" "$tree/examples/sample.idv"
    done
done
if grep "Building C object _deps" "$work/log"; then
    echo "the second way does not use the objects of the first" && exit 1
fi

"$cmake" --install "$work/build" --prefix "$work/prefix" >/dev/null
if [ -e "$work/prefix" ]; then
    echo "the embedded tree installs:" && find "$work/prefix" && exit 1
fi

echo "on its own, without the command:"
"$cmake" -G Ninja -S "$tree" -B "$work/alone" -DDV_CLI=OFF >/dev/null
grep '^CMAKE_BUILD_TYPE:' "$work/alone/CMakeCache.txt" | tee "$work/type"
grep -q '=Release$' "$work/type"

echo "with the libraries of others linked in:"
"$cmake" -G Ninja -S "$tree" -B "$work/static" -DDV_CLI=OFF -DDV_STATIC_DEPS=ON >/dev/null
grep -q 'libdeflate\.a' "$work/static/build.ninja"
if grep 'libdeflate\.so' "$work/static/build.ninja"; then
    echo "something still links the shared library" && exit 1
fi
