// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "epitaph_capstone.h"
#include "epitaph_crypto.h"
#include "epitaph_curl.h"
#include "epitaph_debuginfod.h"
#include "epitaph_deflate.h"
#include "epitaph_elfutils.h"
#include "epitaph_loaded_library.h"
#include "epitaph_lz4.h"
#include "epitaph_lzma.h"
#include "epitaph_sqlite.h"
#include "epitaph_unwind.h"
#include "epitaph_zstd.h"
