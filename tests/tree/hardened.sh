#!/bin/sh
# hardened.sh: do a library and a program have the protections that docs/security.md names?   hardened.sh FILE...
set -u
failed=0
expect() { # FILE, what, command that finds it
    file=$1 what=$2
    shift 2
    "$@" | grep -q . && return
    echo "$file: no $what"
    failed=1
}

for file; do
    expect "$file" "read-only relocations" sh -c "readelf -lW '$file' | grep GNU_RELRO"
    expect "$file" "immediate binding" sh -c "readelf -dW '$file' | grep -E 'BIND_NOW|FLAGS.* NOW'"
    expect "$file" "stack that is not executable" sh -c "readelf -lW '$file' | grep 'GNU_STACK.* RW '"
    expect "$file" "address of any kind" sh -c "readelf -hW '$file' | grep 'Type: *DYN'"
    expect "$file" "stack protector" sh -c "readelf --dyn-syms -W '$file' | grep __stack_chk_fail"
    expect "$file" "fortified call" sh -c "readelf --dyn-syms -W '$file' | grep -E '__(memcpy|memset|memmove|snprintf|vsnprintf|read|pread)[a-z0-9]*_chk'"
    # The linker marks a whole file only if each archive of the system is compiled so; our functions are.
    case $(readelf -hW "$file") in
    *X86-64*) expect "$file" "marks of indirect branches" sh -c "objdump -d --no-show-raw-insn '$file' | grep -A1 '<\\(dv_version\\|main\\)>:' | grep endbr64" ;;
    esac
done
[ "$failed" -eq 0 ] && echo "all protections are there"
exit "$failed"
