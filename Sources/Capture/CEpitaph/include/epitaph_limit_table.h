// SPDX-License-Identifier: Apache-2.0
//
// The default of every limit, as a constant that other languages can use: the rows are in
// epitaph_option_table.h. Comes with epitaph.h.

#ifndef EPITAPH_LIMIT_TABLE_H
#define EPITAPH_LIMIT_TABLE_H

#include "epitaph_option_table.h"

#define EPITAPH_LIMIT_DEFAULT(field, key, kind, least, most, standard, readers, meaning) \
    static const EPITAPH_LIMIT_TYPE_##kind epitaph_default_##field = standard;
/// The default of the field of this name, in bytes, or in milliseconds if the name ends with _ms.
EPITAPH_LIMITS(EPITAPH_LIMIT_DEFAULT)
EPITAPH_START_LIMITS(EPITAPH_LIMIT_DEFAULT)
#undef EPITAPH_LIMIT_DEFAULT

#endif
