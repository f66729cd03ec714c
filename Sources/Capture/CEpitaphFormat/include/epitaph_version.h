// SPDX-License-Identifier: Apache-2.0
//
// The one place that holds Epitaph's version, as in https://semver.org. `dump-convert --version`
// and the User-Agent of uploads take it from here, through the module CEpitaphVersion.
// docs/CHANGELOG.md says what each version can do.

#ifndef EPITAPH_VERSION_H
#define EPITAPH_VERSION_H

/// Major, minor and patch version.
#define EPITAPH_VERSION "0.1.0"
/// The same as a number that the preprocessor can compare: 10000 x major + 100 x minor + patch.
#define EPITAPH_VERSION_NUMBER 100

#endif
