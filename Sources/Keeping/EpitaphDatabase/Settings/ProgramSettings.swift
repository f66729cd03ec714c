// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

package struct ProgramSettings: Sendable, Equatable {
    /// Whether crashes are captured, as last chosen in the program; nil if never chosen.
    package var capturesCrashes: Bool?

    private var fields: [String: JSONValue] = [:]
    private static let capturesCrashesName = "capturesCrashes"

    package init() {}

    init(_ bytes: [UInt8]) {
        fields = JSONValue.object(bytes) ?? [:]
        if case .boolean(let captures)? = fields[Self.capturesCrashesName] {
            capturesCrashes = captures
        }
    }

    var bytes: [UInt8]? {
        var fields = fields
        fields[Self.capturesCrashesName] = capturesCrashes.map(JSONValue.boolean)
        return JSONValue.bytes(fields)
    }
}

extension ReportDatabase {
    private static let programsName = "programs"
    private static let programFileLimit = 65_536

    /// Avoids opening the whole database when a program starts: opens two files, changes nothing.
    /// Empty settings without such a file or database.
    package static func programSettings(
        of bundleID: String, in path: String
    ) -> ProgramSettings {
        do throws(SystemError) {
            let directory = try Directory(opening: path).openDirectory(programsName)
            return try read(bundleID, in: directory)
        } catch {
            return ProgramSettings()
        }
    }

    /// Changes the settings of a program. The file is replaced atomically.
    package func updateProgramSettings(
        of bundleID: String, _ edit: (inout ProgramSettings) -> Void
    ) throws(DatabaseError) {
        try attempt { () throws(SystemError) in
            let programs = try root.makeAndOpen(Self.programsName)
            var settings = try Self.read(bundleID, in: programs)
            edit(&settings)
            guard let bytes = settings.bytes else { return }
            // A leftover of a dead process is removed like any other in `new/`.
            try programs.replace(
                Self.fileName(of: bundleID), with: bytes,
                writing: "\(Epitaph.ID().fileStem).json", in: newReports, isSynced: true)
        }
    }

    private static func read(
        _ bundleID: String, in programs: Directory
    ) throws(SystemError) -> ProgramSettings {
        switch try programs.find(fileName(of: bundleID), for: .reading) {
        case .missing, .somethingElse: return ProgramSettings()
        case .regular(let file, _):
            return ProgramSettings(try file.readAll(limit: programFileLimit))
        }
    }

    private static func fileName(of bundleID: String) -> String { "\(bundleID).json" }
}
