// SPDX-License-Identifier: Apache-2.0
//
// A daemon whose database comes with a copy of SQLite of its own: its calls go there and not to ours.

import CSQLite
import EpitaphStorageInspection

var options = Epitaph.StorageOptions()
options.directories = [CommandLine.arguments[1]]
let found = Epitaph.StorageInspector(options: options).databases()

var database: OpaquePointer?
let result = sqlite3_open_v2(CommandLine.arguments[1], &database, 0, nil)
guard result == 4711 else { fatalError("sqlite3_open_v2 of another library answered \(result)") }
print("used EpitaphStorageInspection", found.databases.count)
