// SPDX-License-Identifier: Apache-2.0
//
// An ELF note, owner "Epitaph", type 1, contents a 4-byte version (1): tells the preloaded library
// that the program, even if stripped, contains Epitaph. Linkers keep unreferenced notes, elf(5).

__asm__(".pushsection .note.epitaph, \"a\", %note\n"
        ".balign 4\n"
        ".long 8\n"
        ".long 4\n"
        ".long 1\n"
        ".asciz \"Epitaph\"\n"
        ".long 1\n"
        ".popsection\n");
