// SPDX-License-Identifier: Apache-2.0

// What Swift imports.
#pragma once

#include "epitaph_caller_stack.h"
#include "epitaph_cxx_runtime.h"
#include "epitaph_file_systems.h"
#include "epitaph_futex.h"
#include "epitaph_kernel_events.h"
#include "epitaph_thread_rights.h"
#include "epitaph_unix_datagrams.h"
