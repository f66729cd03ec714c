// SPDX-License-Identifier: Apache-2.0
//
// Whether our declarations of libdw and libelf are those of the libraries' own headers.

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>

#include "same.h"

// A function that is declared twice must be declared alike.
#include "declared/epitaph_elfutils_calls.h"

// The structs are defined once more, by other names.
#define Dwarf_Attribute OurAttribute
#define Dwarf_Cmd OurCmd
#define Dwarf_Die OurDie
#define DWARF_C_READ OUR_C_READ
#include "declared/epitaph_elfutils_types.h"
#undef Dwarf_Attribute
#undef Dwarf_Cmd
#undef Dwarf_Die
#undef DWARF_C_READ

SAME_SIZE(OurAttribute, Dwarf_Attribute);
SAME_PLACE(OurAttribute, Dwarf_Attribute, code);
SAME_PLACE(OurAttribute, Dwarf_Attribute, form);
SAME_PLACE(OurAttribute, Dwarf_Attribute, valp);
SAME_PLACE(OurAttribute, Dwarf_Attribute, cu);

SAME_SIZE(OurDie, Dwarf_Die);
SAME_PLACE(OurDie, Dwarf_Die, addr);
SAME_PLACE(OurDie, Dwarf_Die, cu);
SAME_PLACE(OurDie, Dwarf_Die, abbrev);

SAME_SIZE(OurCmd, Dwarf_Cmd);
SAME_VALUE(OUR_C_READ, (int)DWARF_C_READ)

EPITAPH_DWARF_CONSTANTS(SAME_VALUE)
