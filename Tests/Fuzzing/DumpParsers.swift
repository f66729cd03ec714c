// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphIntermediateDump
import EpitaphMinidump
import EpitaphPages
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues

/// What reads a dump, from its first byte to the last form of a report.
enum DumpParsers {
    static func intermediateDump(_ bytes: ByteSlice) {
        guard let dump = try? IntermediateDump(bytes) else { return }
        var sink = CountingSink()
        try? MinidumpWriter(snapshot: dump.snapshot, reportID: nil, clientID: nil)
            .write(to: &sink)
        DumpTree(reading: bytes).forEachLine { sink.byteCount += UInt64($0.utf8.count) }
    }

    static func minidump(_ bytes: ByteSlice) {
        _ = try? MinidumpReader.read(bytes)
    }

    /// The bytes are the stream alone, in a minidump of our own.
    static func keptStacks(_ bytes: ByteSlice) {
        var file = ByteBuilder()
        let information = 32 + 24
        for word in [0x504d_444d, 0xa793, 2, 32, 0, 0, 0, 0] as [UInt32] { file.append(word) }
        for word in [7, 56, information] { file.append(UInt32(word)) }
        for word in [0x4570_0002, bytes.count, information + 56] { file.append(UInt32(word)) }
        file.append(UInt16(9))
        file.appendZeros(18)
        file.append(UInt32(0x8201))
        file.appendZeros(32)
        file.append(bytes)
        guard let contents = try? MinidumpReader.read(ByteSlice(file.bytes)) else { return }
        explain(contents.snapshot, NoImages(), .keptNames)
    }

    /// The async callers of Swift are looked for as well, wherever a file is Swift's.
    static func walk(_ bytes: ByteSlice, isWithFiles: Bool) {
        guard let snapshot = snapshot(bytes) else { return }
        if isWithFiles {
            explain(snapshot, installed, .modulesOnly)
        } else {
            explain(snapshot, NoImages(), .modulesOnly)
        }
    }

    static func show(_ bytes: ByteSlice) {
        guard let snapshot = snapshot(bytes) else { return }
        explain(snapshot, InstalledImages(), .symbols)
    }

    /// Read once; which files they are is the input's to say, and what a dump names is looked at
    /// before it is opened.
    private static let installed = InstalledImages()

    private static func snapshot(_ bytes: ByteSlice) -> ProcessSnapshot? {
        if bytes.byte(at: 0) == 0x06 { return try? IntermediateDump.snapshot(from: bytes) }
        return try? MinidumpReader.read(bytes).snapshot
    }

    private static func explain(
        _ snapshot: ProcessSnapshot, _ images: any ELFImageSource,
        _ naming: CrashExplanation.Naming
    ) {
        let explanation = CrashExplanation(snapshot, images: images, naming: naming)
        var count = 0
        JSONReport(explanation).write { count += $0.count }
        count += TextReport(explanation).lines.count
        count += HTMLReport(explanation).pieces.count
    }
}

private struct NoImages: ELFImageSource {
    func images(for module: ModuleSnapshot) -> ModuleImages {
        ModuleImages(problem: .notFound(path: module.path))
    }
}

private struct CountingSink: ByteSink {
    var byteCount: UInt64 = 0

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        byteCount += UInt64(bytes.count)
    }
}
