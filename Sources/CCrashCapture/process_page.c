// SPDX-License-Identifier: Apache-2.0

#include "epitaph_process_page.h"

#include <stddef.h>

epitaph_process_page *epitaph_process_page_now = NULL;
