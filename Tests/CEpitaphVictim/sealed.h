// SPDX-License-Identifier: Apache-2.0

#ifndef SEALED_H
#define SEALED_H

/// The subcommand `sealed`, see sealed.c; the first argument is its name. Returns the exit status.
int sealed_main(int count, char **arguments);

#endif
