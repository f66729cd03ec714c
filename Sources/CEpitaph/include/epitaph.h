// SPDX-License-Identifier: Apache-2.0
#ifndef EPITAPH_H
#define EPITAPH_H
#endif
