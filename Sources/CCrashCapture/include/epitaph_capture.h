// SPDX-License-Identifier: Apache-2.0
#ifndef EPITAPH_CAPTURE_H
#define EPITAPH_CAPTURE_H
#include "epitaph_dump_format.h"
#endif
