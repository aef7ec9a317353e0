/* SPDX-License-Identifier: MIT */
/* start.s: the whole ROM of the emulated machine, instead of a BIOS: from reset to the 32-bit entry of a kernel that is already at 1 MiB (Documentation/arch/x86/boot.rst).  avx512.py defines zero_page and memory_end. */
    .code16
start:
    lgdtl %cs:gdt_pointer - start
    movl %cr0, %eax
    orl $1, %eax
    movl %eax, %cr0
    ljmpl $0x10, $flat

    .code32
flat:
    movl $0x18, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss

    /* Bochs gives memory to addresses in the order in which they are first used, in blocks of
     * 128 KiB, but loads an image over all blocks that follow the first.  So use them in order. */
    movl $0x100000, %ecx
next_block:
    movl (%ecx), %eax
    addl $0x20000, %ecx
    cmpl $memory_end, %ecx
    jb next_block

    movl $zero_page, %esi
    xorl %ebp, %ebp
    xorl %edi, %edi
    xorl %ebx, %ebx
    movl $0x100000, %eax
    jmp *%eax

    .balign 8
gdt: /* as the kernel wants it: 0x10 all memory as code, 0x18 as data */
    .quad 0, 0, 0x00cf9b000000ffff, 0x00cf93000000ffff
gdt_pointer:
    .word . - gdt - 1
    .long gdt

    .org 0xfff0 /* where the CPU begins, 16 bytes below 4 GiB */
    .code16
    jmp start
    .org 0x10000
