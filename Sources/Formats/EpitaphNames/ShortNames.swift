// SPDX-License-Identifier: Apache-2.0

// What users call Epitaph.Refusal is Refusal in the house.
package typealias Refusal = Epitaph.Refusal
package typealias SettingError = Epitaph.SettingError
package typealias Signal = Epitaph.Signal
