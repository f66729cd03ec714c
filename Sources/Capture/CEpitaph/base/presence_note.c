// SPDX-License-Identifier: Apache-2.0
//
// An ELF note that tells a preloaded library that the program has Epitaph already, even
// when it is stripped. Linkers keep notes, elf(5), although nothing refers to them.
//
// Its owner is "Epitaph" and its type 1; the four bytes of contents are a version, 1 so far.

__asm__(".pushsection .note.epitaph, \"a\", %note\n"
        ".balign 4\n"
        ".long 8\n"
        ".long 4\n"
        ".long 1\n"
        ".asciz \"Epitaph\"\n"
        ".long 1\n"
        ".popsection\n");
