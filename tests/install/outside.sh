#!/bin/sh
# outside.sh: does what we install serve a stranger, by CMake, with and without pkg-config, and by
# pkg-config, in C and in C++?
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

echo "the archive by find_package, on a machine without pkg-config:"
"$cmake" -G Ninja -S "$here" -B "$work/alone" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON -Dlibdeflate_DIR="$here/packages" >/dev/null
"$cmake" --build "$work/alone" --target outside_static >/dev/null
"$work/alone/outside_static" "$sample"

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

if [ -e "$LD_LIBRARY_PATH/libdataview-image.so" ]; then
    echo "the component for pictures:"
    "$work/cmake/outside_image"
    # shellcheck disable=SC2046
    cc "$here/outside_image.c" -o "$work/image" $(pkg-config --cflags --libs dataview-image)
    "$work/image"
fi

echo "a newcomer's program, as docs/arrays.md has it, and the installed examples:"
doc=$work/prefix/share/doc/dataview
docs=$doc/docs
mkdir "$work/new"
first_program() {
    awk '/^```c$/ { n++; next } n == 1 && !done { print } n == 1 && /^}$/ { done = 1 }' "$doc/$1"
}
first_program docs/arrays.md >"$work/new/people.c"
awk '/^```cmake$/ { found = 1; next } /^```$/ { found = 0 } found' "$docs/arrays.md" \
    >"$work/new/CMakeLists.txt"
"$cmake" -G Ninja -S "$work/new" -B "$work/new/build" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
"$cmake" --build "$work/new/build" >/dev/null
# shellcheck disable=SC2046
cc -Wall -Wextra -Werror "$work/new/people.c" -o "$work/new/people" $(pkg-config --cflags --libs dataview)
for program in people build/people; do
    (cd "$work/new" && rm -f people.idv && "./$program" && "$work/prefix/bin/dataview" head people.idv)
done
first_program docs/csv.md >"$work/new/loop.c"
# shellcheck disable=SC2046
cc -Wall -Wextra -Werror "$work/new/loop.c" -o "$work/new/loop" $(pkg-config --cflags --libs dataview)
(cd "$work/new" && "$work/prefix/bin/dataview" split --fraction 0.8,0.2 --shuffle --stratify sold \
    -o train.idv -o test.idv "$doc/examples/houses.csv" && ./loop)
"$cmake" -G Ninja -S "$doc/examples" -B "$work/examples" -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
"$cmake" --build "$work/examples" >/dev/null
(cd "$work" && examples/arrays && "$work/prefix/bin/dataview" counts people.idv Name)

echo "the command:"
"$work/prefix/bin/dataview" info "$sample" >/dev/null
for page in LICENSE README.md CHANGELOG.md docs/types.md docs/cli.md docs/spec/idv.md; do
    test -s "$doc/$page"
done
for page in man/man1/dataview.1 man/man1/dataview-head.1 bash-completion/completions/dataview \
    zsh/site-functions/_dataview; do
    test -s "$work/prefix/share/$page"
done
