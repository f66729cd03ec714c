// SPDX-License-Identifier: Apache-2.0

// Declares `Epitaph`, its values and levels.
@_exported import EpitaphNames
