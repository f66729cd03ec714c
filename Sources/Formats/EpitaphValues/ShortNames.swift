// SPDX-License-Identifier: Apache-2.0

// What users call Epitaph.Timestamp is Timestamp in the house.
package typealias Timestamp = Epitaph.Timestamp
