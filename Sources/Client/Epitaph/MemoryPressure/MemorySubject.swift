// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import EpitaphSystem
import EpitaphValues
import Glibc

struct MemorySubject {
    var processFiles = "/proc"

    /// If a process has more threads, only the first are examined.
    private static let mostThreads = 512
    /// Time in which a thread that fills memory meets new pages.
    private static let sampleMicroseconds: UInt32 = 2_000

    /// The gettid(2) of the thread with this name; else of the one on a processor, or waiting for
    /// memory, that takes new pages fastest; else of the first thread. Never one of Epitaph's own.
    func find(named name: String?) -> Int32 {
        let listing = try? Directory(opening: processFiles + "/self/task")
            .list(limit: Self.mostThreads)
        let threads = (listing?.names ?? []).compactMap { Int32($0) }.compactMap(state)
            .filter { !$0.name.hasPrefix("epitaph-") }
        // The kernel keeps 15 bytes of a name.
        let kept = name.map { String(decoding: $0.utf8.prefix(15), as: UTF8.self) }
        if let named = threads.first(where: { $0.name == kept }) { return named.id }
        let busy = threads.filter(\.isBusy)
        guard busy.count > 1 else { return busy.first?.id ?? getpid() }
        epitaph_wait_microseconds(Self.sampleMicroseconds)
        let samples = busy.compactMap { before in
            state(before.id).map { (id: $0.id, new: $0.faults &- before.faults, all: $0.faults) }
        }
        return samples.max { ($0.new, $0.all) < ($1.new, $1.all) }?.id ?? getpid()
    }

    private struct State {
        var id: Int32
        var name: String
        var isBusy: Bool
        /// Pages that it has met for the first time.
        var faults: UInt64
    }

    /// proc_pid_stat(5): `TID (NAME) STATE PPID PGRP SESSION TTY TPGID FLAGS MINFLT …`.
    private func state(_ id: Int32) -> State? {
        let file = try? FileDescriptor.openForReading("\(processFiles)/self/task/\(id)/stat")
        guard let bytes = try? file?.readAll(limit: 4_096),
            let open = bytes.firstIndex(of: UInt8(ascii: "(")),
            let close = bytes.lastIndex(of: UInt8(ascii: ")")), open < close
        else { return nil }
        let fields = bytes[(close + 1)...].split { $0 <= UInt8(ascii: " ") }
            .map { String(decoding: $0, as: UTF8.self) }
        guard fields.count > 7, let faults = UInt64(fields[7]) else { return nil }
        return State(
            id: id, name: String(decoding: bytes[(open + 1)..<close], as: UTF8.self),
            isBusy: ["R", "D"].contains(fields[0]), faults: faults)
    }
}
