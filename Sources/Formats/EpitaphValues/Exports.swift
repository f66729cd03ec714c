// SPDX-License-Identifier: Apache-2.0

// Declares `Epitaph`, apart: programs that only capture do not link Foundation.
@_exported import EpitaphNames

// Users write `Epitaph.Timestamp`; our own code writes the short name.
package typealias Timestamp = Epitaph.Timestamp
