// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// Writes a snapshot as a minidump: docs/minidump.md. The initialiser decides sizes and offsets;
/// `write` writes everything front to back. Memory contents are never copied.
package struct MinidumpWriter: Sendable {
    static let headerByteCount = 32
    static let directoryEntryByteCount = 12
    static let offsetLimit = UInt64(UInt32.max)

    package var byteCount: UInt64 { layout.end }
    package let damage: [Damage]

    private let layout: FileLayout

    /// Missing ids become zeros. `clientID` identifies the installation.
    package init(snapshot: ProcessSnapshot, reportID: Epitaph.ID?, clientID: Epitaph.ID?) {
        self.init(
            snapshot: snapshot, reportID: reportID, clientID: clientID, limit: Self.offsetLimit)
    }

    init(snapshot: ProcessSnapshot, reportID: Epitaph.ID?, clientID: Epitaph.ID?, limit: UInt64) {
        let assembly = MinidumpAssembly(
            snapshot: snapshot, reportID: reportID, clientID: clientID, limit: limit)
        assembly.placeEverything()
        layout = assembly.layout
        damage = assembly.damage
    }

    /// Releases pages of mapped memory once written. If the sink throws, it is incomplete.
    package func write<Sink: ByteSink>(to sink: inout Sink) throws(Sink.Failure) {
        var gathering = GatheringSink(sink)
        defer {
            gathering.pages.forget()
            sink = gathering.base
        }
        var position: UInt64 = 0
        for piece in layout.pieces {
            let gap = Int(clamping: piece.offset - position)
            if gap > 0 { try gathering.append([UInt8](repeating: 0, count: gap)) }
            switch piece.content {
            case .bytes(let bytes): try gathering.append(bytes)
            case .context(let registers, let architecture):
                try gathering.append(ContextFormat.encode(registers, on: architecture))
                // The floating-point state is in the dump, a page or more per thread.
                if let saved = registers.saved { gathering.pages.add(saved) }
            case .slice(let slice): try write(slice, to: &gathering)
            }
            position = piece.offset + UInt64(piece.content.byteCount)
        }
        try gathering.flush()
    }

    private func write<Sink: ByteSink>(
        _ slice: ByteSlice, to sink: inout GatheringSink<Sink>
    ) throws(Sink.Failure) {
        let chunkByteCount = 1 << 20
        for offset in stride(from: 0, to: slice.count, by: chunkByteCount) {
            try sink.append(slice.slice(from: offset, length: chunkByteCount))
        }
    }
}

extension RegisterSnapshot {
    fileprivate var saved: ByteSlice? {
        switch self {
        case .x86_64(let registers): registers.floatingPoint
        case .aarch64(let registers): registers.vectors
        case .named, .pointers: nil
        }
    }
}
