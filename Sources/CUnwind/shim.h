// SPDX-License-Identifier: Apache-2.0
#include <libunwind-x86_64.h>
