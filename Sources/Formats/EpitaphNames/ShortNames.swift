// SPDX-License-Identifier: Apache-2.0

// Users write `Epitaph.Refusal`; our own code writes the short name.
package typealias GlobPattern = Epitaph.GlobPattern
package typealias Refusal = Epitaph.Refusal
package typealias SettingError = Epitaph.SettingError
package typealias Signal = Epitaph.Signal
package typealias StorageChange = Epitaph.StorageChange
