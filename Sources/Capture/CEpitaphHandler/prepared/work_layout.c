// SPDX-License-Identifier: Apache-2.0
//
// Nothing is known of the runtimes until it was tried out.

#include "epitaph_scopes.h"

epitaph_work_layout epitaph_work_layout_now;
