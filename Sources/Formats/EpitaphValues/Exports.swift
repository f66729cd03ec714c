// SPDX-License-Identifier: Apache-2.0

// Declares `Epitaph`; apart, because programs that only capture do not link Foundation, which the
// values here use.
@_exported import EpitaphNames

// Users write `Epitaph.Timestamp`; our own code writes the short name.
package typealias Timestamp = Epitaph.Timestamp
