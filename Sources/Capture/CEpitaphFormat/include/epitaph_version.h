// SPDX-License-Identifier: Apache-2.0
//
// Epitaph's version, https://semver.org, also for `dump-convert --version` and the User-Agent of
// uploads, through the module CEpitaphVersion. docs/CHANGELOG.md says what each version can do.

#ifndef EPITAPH_VERSION_H
#define EPITAPH_VERSION_H

#define EPITAPH_VERSION "0.1.0"
/// 10000 x major + 100 x minor + patch, for the preprocessor.
#define EPITAPH_VERSION_NUMBER 100

#endif
