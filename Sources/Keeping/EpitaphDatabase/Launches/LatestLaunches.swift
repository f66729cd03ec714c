// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// The latest launches of a program in a binary format, for C, which has no JSON parser:
/// `launches/<bundle-id>@latest`, docs/database.md. `swept_runs.c` of CEpitaph reads it.
enum LatestLaunches {
    static let ending = "@latest"
    /// Enough that some remain when the reader skips those that are not its last run.
    static let limit = 16
    static let recordByteCount = 96
    private static let magic: [UInt8] = Array("EPLR".utf8)
    private static let version: UInt32 = 1

    /// - Parameter history: the newest first. Children are left out, because they are not launches;
    ///   so is anything after a crash with its own report, because it may not be a separate end.
    static func bytes(_ history: [RecordedLaunch]) -> [UInt8] {
        let launches = history.filter { !$0.isChild && $0.end != .ofReportedCrash }.prefix(limit)
        var file = ByteBuilder()
        file.append(magic)
        file.append(version)
        file.append(UInt32(launches.count))
        file.append(UInt32(0))
        for launch in launches { append(launch, to: &file) }
        let bytes = Array(file.bytes)
        var sum = ByteBuilder()
        sum.append(FNV1a(bytes).value)
        return bytes + sum.bytes
    }

    private static func append(_ launch: RecordedLaunch, to file: inout ByteBuilder) {
        file.append(bytes(of: launch.id))
        file.append(bytes(of: launch.end.report))
        file.append(bytes(of: launch.process.bootID))
        file.append(launch.process.startTicks)
        file.append(launch.process.pidNamespace)
        file.append(UInt64(bitPattern: launch.start?.wholeMicroseconds ?? 0))
        file.append(UInt64(bitPattern: launch.lastSign.wholeMicroseconds ?? 0))
        file.append(UInt32(bitPattern: launch.process.processID))
        var signal: Int32 = 0
        if case .signalled(let number) = launch.end { signal = number.rawValue }
        file.append(UInt32(bitPattern: signal))
        file.append(launch.end.number)
        file.append(
            (launch.hadMemoryWarning ? Flag.memoryWarning : 0)
                | (launch.end.isCertain ? Flag.certain : 0))
        file.append([UInt8](repeating: 0, count: 6))
    }

    private enum Flag {
        static let memoryWarning: UInt8 = 1
        static let certain: UInt8 = 2
    }

    private static func bytes(of id: Epitaph.ID?) -> [UInt8] { (id ?? .none).bytes }
}

extension LaunchEnd {
    /// An `epitaph_run_end` of epitaph_last_run.h.
    fileprivate var number: UInt8 {
        switch self {
        case .unknown, .ofReportedCrash: 0
        case .crashed: 1
        case .cleanly: 2
        case .signalled: 3
        case .outOfMemory: 4
        case .exec: 5
        case .killed: 6
        case .shutdown: 7
        case .powerLoss: 8
        case .lostToReboot: 9
        }
    }

    /// By the column in docs/launch-ends.md.
    fileprivate var isCertain: Bool {
        switch self {
        case .outOfMemory(let isCertain): isCertain
        case .unknown, .ofReportedCrash: false
        case .crashed, .cleanly, .signalled, .exec, .killed, .shutdown, .powerLoss, .lostToReboot:
            true
        }
    }
}

extension ReportDatabase {
    /// Stores the latest launches before the history: if the process dies in between, this file has
    /// more, never less. Its extra launches are correct.
    func keepLatest(
        of history: [RecordedLaunch], of bundleID: String, in directory: Directory
    ) throws(SystemError) {
        let bytes = LatestLaunches.bytes(history)
        let name = bundleID + LatestLaunches.ending
        if case .regular(let file, _)? = try? directory.find(name, for: .reading),
            (try? file.readAll(limit: bytes.count + 1)) == bytes
        {
            return
        }
        try replace(name, in: Self.launchesName, with: bytes)
    }
}
