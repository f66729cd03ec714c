// SPDX-License-Identifier: Apache-2.0

#ifndef LAST_LINES_H
#define LAST_LINES_H

/// Settings that take hold after the start of Epitaph:
///   errors-are=PATH   standard error is closed, and its number is that of a data file
///   log-is=PATH       standard error is a log, opened for appending
void last_lines_setting(const char *setting);

#endif
