// SPDX-License-Identifier: Apache-2.0

// It declares `Epitaph`. It is a target of its own because programs that only capture do without
// Foundation, whose `UUID` and `Date` the values here have.
@_exported import EpitaphNames

// What users call Epitaph.Timestamp is Timestamp in the house.
package typealias Timestamp = Epitaph.Timestamp
