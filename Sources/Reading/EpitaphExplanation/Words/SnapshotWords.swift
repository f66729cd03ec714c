// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// Words and lists shared by several report formats.

extension MemoryMapping {
    package var permissions: String {
        (isReadable ? "r" : "-") + (isWritable ? "w" : "-") + (isExecutable ? "x" : "-")
            + (isShared ? "s" : "p")
    }
}

extension CaptureSummary {
    package var blankedWords: String? {
        blankedByteCount.map {
            "\($0.grouped) bytes that were in the environment or the command line are asterisks (*)"
        }
    }
}

extension ModuleSnapshot {
    package var buildIDDigits: String? { buildID.isEmpty ? nil : buildID.hexDigits }
}

extension ModuleSnapshot.Kind {
    package var word: String {
        switch self {
        case .executable: "executable"
        case .sharedObject: "shared-object"
        case .loader: "loader"
        case .vdso: "vdso"
        }
    }
}

extension SystemFiles {
    /// All text files but the maps, with their paths.
    package var texts: [(path: String, bytes: ByteSlice)] {
        let known: [(String, ByteSlice?)] = [
            ("/proc/self/status", status), ("/proc/self/limits", limits),
            ("/proc/cpuinfo", cpuinfo), ("/etc/os-release", osRelease),
        ]
        let others = others.inKeyOrder.map { (path: $0.key, bytes: $0.value) }
        return known.compactMap { path, bytes in bytes.map { (path, $0) } } + others
    }
}

extension FrameOmission {
    package var words: String {
        switch self {
        case .stackBytes(let count):
            "\(count.grouped) bytes of the stack are not in the dump, and the frames in them"
        case .tailCall: "a function left by a tail call and has no frame"
        }
    }
}

package func byteCount(_ count: Int) -> String {
    if count < 1024 { return counted(count, "byte") }
    let kibibytes = Double(count) / 1024
    if kibibytes < 1024 { return "\(short(kibibytes)) KiB" }
    if kibibytes < 1_048_576 { return "\(short(kibibytes / 1024)) MiB" }
    return "\(short(kibibytes / 1_048_576)) GiB"
}

/// One digit behind the point, unless it is zero.
private func short(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 || tenths >= 1000
        ? (tenths / 10).grouped : "\(tenths / 10).\(tenths % 10)"
}
