// SPDX-License-Identifier: Apache-2.0

import Bytes
import Snapshot

/// What Epitaph's capture found out and no other stream has a place for: a count, then records of 16
/// bytes. Readers skip kinds they do not know.
enum CaptureFactsStream {
    private static let recordByteCount = 16

    private enum Kind: UInt32 {
        /// What was at the path of the module at `address`: a `ModuleSnapshot.FileState`.
        case fileState = 1
        /// The thread `value` has a chain of contexts that was cut at `address`.
        case asyncChainCut = 2
    }

    private struct Record {
        let kind: UInt32
        let value: UInt32
        let address: UInt64
    }

    static func hasFacts(_ snapshot: ProcessSnapshot) -> Bool {
        !records(of: snapshot).isEmpty
    }

    static func place(_ snapshot: ProcessSnapshot, in layout: inout FileLayout) -> Location {
        let records = records(of: snapshot)
        var list = ByteBuilder()
        list.append(UInt32(truncatingIfNeeded: records.count))
        for record in records {
            list.append(record.kind)
            list.append(record.value)
            list.append(record.address)
        }
        return layout.place(list, for: "capture facts")
    }

    private static func records(of snapshot: ProcessSnapshot) -> [Record] {
        let states = snapshot.modules.compactMap { module in
            module.fileState.map {
                Record(
                    kind: Kind.fileState.rawValue, value: UInt32($0.rawValue),
                    address: module.addressRange.lowerBound)
            }
        }
        let cuts = snapshot.threads.flatMap { thread in
            thread.asyncChainCuts.map {
                Record(
                    kind: Kind.asyncChainCut.rawValue,
                    value: UInt32(truncatingIfNeeded: thread.id), address: $0)
            }
        }
        return states + cuts
    }

    /// To be called when modules and threads have been read.
    static func read(
        _ stream: ByteSlice, from file: inout MinidumpFile, into snapshot: inout ProcessSnapshot
    ) throws(TruncatedRead) {
        var states: [UInt64: ModuleSnapshot.FileState] = [:]
        var cuts: [UInt64: [UInt64]] = [:]
        for slice in try file.records(
            in: stream, byteCount: recordByteCount, for: "capture facts")
        {
            var cursor = ByteCursor(slice)
            let kind = Kind(rawValue: try cursor.read())
            let value = try cursor.read(UInt32.self)
            let address = try cursor.read(UInt64.self)
            switch kind {
            case .fileState:
                states[address] = UInt8(exactly: value).flatMap { .init(rawValue: $0) }
            case .asyncChainCut: cuts[UInt64(value), default: []].append(address)
            case nil: continue
            }
        }
        for index in snapshot.modules.indices {
            snapshot.modules[index].fileState =
                states[snapshot.modules[index].addressRange.lowerBound]
        }
        for index in snapshot.threads.indices {
            snapshot.threads[index].asyncChainCuts = cuts[snapshot.threads[index].id] ?? []
        }
    }
}
