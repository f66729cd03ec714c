// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// Users write `Epitaph.DatabaseDiscovery`; our own code writes the short name.
package typealias DatabaseDiscovery = Epitaph.DatabaseDiscovery
package typealias DirectoryStore = Epitaph.DirectoryStore
package typealias DirectoryStoreWatch = Epitaph.DirectoryStoreWatch
package typealias FoundDatabase = Epitaph.FoundDatabase
package typealias KeyValueInspector = Epitaph.KeyValueInspector
package typealias KeyValueStore = Epitaph.KeyValueStore
package typealias SQLiteRows = Epitaph.SQLiteRows
package typealias SQLiteTable = Epitaph.SQLiteTable
package typealias SQLiteValue = Epitaph.SQLiteValue
package typealias StorageError = Epitaph.StorageError
package typealias StorageInspector = Epitaph.StorageInspector
package typealias StorageOptions = Epitaph.StorageOptions
package typealias StorageSummary = Epitaph.StorageSummary
package typealias StoredValue = Epitaph.StoredValue
