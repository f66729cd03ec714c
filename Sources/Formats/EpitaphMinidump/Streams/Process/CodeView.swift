// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The record that identifies a module's file.
enum CodeView {
    /// "BpEL", Breakpad's form for ELF: the bytes of the build id follow.
    private static let elfBuildID: UInt32 = 0x4270_454c
    /// "RSDS", Microsoft's form: GUID, age, file name.
    private static let programDatabase: UInt32 = 0x5344_5352

    static func place(_ module: ModuleSnapshot, in layout: inout FileLayout) -> Location {
        guard !module.buildID.isEmpty else { return .none }
        var record = ByteBuilder()
        record.append(elfBuildID)
        record.append(module.buildID)
        return layout.place(record, for: "build ids")
    }

    /// Empty for an unknown form. Breakpad's older Linux dumps have the first 16 bytes of the build
    /// id in place of the GUID; other systems have a GUID, whose first three fields are integers.
    static func read(
        _ record: ByteSlice, into module: inout ModuleSnapshot, on system: OperatingSystem
    ) {
        var cursor = ByteCursor(record)
        switch try? cursor.read(UInt32.self) {
        case elfBuildID:
            // Crashpad's limit; a longer one is not a build id.
            module.buildID = cursor.readSlice(upTo: 64)
        case programDatabase:
            guard let guid = try? cursor.readSlice(count: 16).array,
                guid.contains(where: { $0 != 0 })
            else { return }
            module.isBuildIDCut = system.hasLinuxKernel
            module.buildID = system.hasLinuxKernel ? guid : GUID.byteOrder.map { guid[$0] }
        default: break
        }
    }
}

extension ByteCursor {
    fileprivate mutating func readSlice(upTo limit: Int) -> [UInt8] {
        let rest = readRest()
        return rest.count <= limit ? rest.array : []
    }
}
