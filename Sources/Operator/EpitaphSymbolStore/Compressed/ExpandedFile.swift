// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// The contents of a compressed file in an unnamed file: a core is read at random offsets, a
/// compressed file only from its beginning. docs/decisions/hostile-input.md
package struct ExpandedFile: Sendable {
    package let descriptor: FileDescriptor
    package let byteCount: UInt64
    /// Why the contents end early, as a clause; nil if they do not.
    package let problem: String?

    /// Limits against small files with huge contents: zeros compress a thousandfold.
    package struct Limits: Sendable {
        /// Including zeros.
        package var contentBytes: UInt64
        /// Without holes.
        package var writtenBytes: UInt64

        /// 64 GiB, 8 GiB of it written. systemd-coredump stores at most 32 GiB: coredump.conf(5).
        package init(contentBytes: UInt64 = 64 << 30, writtenBytes: UInt64 = 8 << 30) {
            self.contentBytes = contentBytes
            self.writtenBytes = writtenBytes
        }
    }

    private static let inputBytes = 1 << 18
    private static let outputBytes = 1 << 20

    /// Decompresses a file. Broken contents are kept up to the error. `directory` is for the
    /// unnamed file; nil for `$TMPDIR` or /var/tmp.
    package init(
        _ file: FileDescriptor, compression: Compression, limits: Limits = Limits(),
        in directory: String? = nil
    ) throws(DecompressionError) {
        let decoder = try compression.makeDecoder()
        do throws(SystemError) {
            let target =
                if let directory { try ScratchFile(in: directory) } else { try ScratchFile() }
            var work = Work(file: file, target: target, decoder: decoder, limits: limits)
            try work.run()
            try target.setSize(work.position)
            descriptor = target.descriptor
            byteCount = work.position
            problem = work.problem.map { "it is compressed by \(compression.rawValue), and \($0)" }
        } catch {
            throw .system(error)
        }
    }

    private struct Work {
        let file: FileDescriptor
        let target: ScratchFile
        let decoder: any StreamDecoder
        let limits: Limits
        var position: UInt64 = 0
        var written: UInt64 = 0
        var problem: String?
        var readOffset = 0
        /// Input may end between frames.
        var isBetweenFrames = false

        mutating func run() throws(SystemError) {
            let input = UnsafeMutableRawBufferPointer.allocate(
                byteCount: ExpandedFile.inputBytes, alignment: 16)
            let output = UnsafeMutableRawBufferPointer.allocate(
                byteCount: ExpandedFile.outputBytes, alignment: 16)
            defer {
                input.deallocate()
                output.deallocate()
            }
            while problem == nil {
                let count = try file.read(into: input, at: readOffset)
                guard count > 0 else { break }
                readOffset += count
                try expand(UnsafeRawBufferPointer(rebasing: input[..<count]), output)
                if isFinished { return }
            }
            if problem == nil, !isBetweenFrames { problem = "the compressed file is cut off" }
        }

        /// An .xz file has one stream; anything behind it is ignored.
        private var isFinished: Bool { isBetweenFrames && decoder is XZDecoder }

        private mutating func expand(
            _ input: UnsafeRawBufferPointer, _ output: UnsafeMutableRawBufferPointer
        ) throws(SystemError) {
            var rest = input[...]
            while true {
                let piece = decoder.decode(UnsafeRawBufferPointer(rebasing: rest), into: output)
                try keep(UnsafeRawBufferPointer(rebasing: output[..<piece.produced]))
                rest = rest.dropFirst(piece.consumed)
                switch piece.state {
                case .failed(let reason): problem = problem ?? "is broken: \(reason)"
                case .end: isBetweenFrames = true
                case .more: isBetweenFrames = false
                }
                guard problem == nil, !isFinished else { return }
                // After a full buffer the decoder may have more output for the consumed input.
                guard !rest.isEmpty || piece.produced == output.count else { return }
                guard piece.consumed > 0 || piece.produced > 0 else {
                    if !rest.isEmpty { problem = "is broken: nothing comes out of it" }
                    return
                }
            }
        }

        private mutating func keep(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
            guard position + UInt64(bytes.count) <= limits.contentBytes,
                written + UInt64(bytes.count) <= limits.writtenBytes
            else {
                problem =
                    "its contents are larger than \(position >> 20) MiB, the most that is read"
                return
            }
            written += UInt64(try target.write(bytes, at: position))
            position += UInt64(bytes.count)
        }
    }
}
