// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues

/// A dump whose maps, arrays and properties have been read, once for all that is asked of it.
package struct ReadDump: Sendable {
    let start: Result<IntermediateDump.Start, IntermediateDumpError>
    package let contents: DumpContents

    package init(_ bytes: ByteSlice) {
        let start = Result { () throws(IntermediateDumpError) in
            try IntermediateDump.Start(bytes)
        }
        self.start = start
        contents =
            switch start {
            case _ where bytes.isZero: .empty
            case .success(let start): DumpContents(start.outline)
            case .failure(let error): .unusable(error.description)
            }
    }

    /// The files that the process wanted attached to its reports, as named in the dump.
    var attachments: [NamedFile] { (try? start.get().attachments) ?? [] }
}

package enum DumpContents: Sendable, Equatable {
    case empty
    case launchRecord(LaunchRecord)
    /// The handler wrote at least part of a crash.
    case crash(LaunchRecord?)
    /// A dump of a whole process that went on running.
    case liveDump(LaunchRecord?)
    case unusable(String)

    fileprivate init(_ outline: IntermediateDump.Outline) {
        self =
            switch outline {
            case .launchRecordOnly(let record): .launchRecord(record)
            case .crash(let launch): .crash(launch)
            case .liveDump(let launch): .liveDump(launch)
            }
    }

    package var launch: LaunchRecord? {
        switch self {
        case .launchRecord(let record): record
        case .crash(let record), .liveDump(let record): record
        case .empty, .unusable: nil
        }
    }
}

extension ByteSlice {
    fileprivate var isZero: Bool {
        // A dump begins with another byte, and need not be read as a whole here.
        guard byte(at: 0) == 0 else { return isEmpty }
        let step = 1 << 21
        return stride(from: 0, to: count, by: step).allSatisfy { offset in
            let part = slice(from: offset, length: step)
            defer { part.forget() }
            return part.withUnsafeBytes { bytes in bytes.allSatisfy { $0 == 0 } }
        }
    }
}
