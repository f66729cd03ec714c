// SPDX-License-Identifier: Apache-2.0
//
// Limit defaults, see epitaph_option_table.h, for other languages. Comes with epitaph.h.

#ifndef EPITAPH_LIMIT_TABLE_H
#define EPITAPH_LIMIT_TABLE_H

#include "epitaph_option_table.h"

#define EPITAPH_LIMIT_DEFAULT(field, key, kind, least, most, standard, readers, meaning) \
    static const EPITAPH_LIMIT_TYPE_##kind epitaph_default_##field = standard;
/// Default of the field, in milliseconds if its name ends with _ms, otherwise in bytes.
EPITAPH_LIMITS(EPITAPH_LIMIT_DEFAULT)
EPITAPH_START_LIMITS(EPITAPH_LIMIT_DEFAULT)
#undef EPITAPH_LIMIT_DEFAULT

#endif
