// SPDX-License-Identifier: Apache-2.0

import CEpitaphZlib

/// Compresses a body into the gzip format (RFC 1952) as it is read. The same source gives the same
/// bytes in every pass: deflate uses buffers of fixed size, and the header contains no time.
final class GzipStream {
    private let source: any BodySource
    // zlib keeps a pointer to the stream in its state, so its address must not change.
    private let stream: UnsafeMutablePointer<z_stream>
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private var unread = UnsafeRawBufferPointer(start: nil, count: 0)
    private var isSourceAtEnd = false
    private var isFinished = false

    private static let level: Int32 = 4

    init(_ source: any BodySource) throws(TransportError) {
        self.source = source
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Adding 16 selects a gzip header and trailer: deflateInit2, zlib.h.
        let code = deflateInit2_(
            stream, Self.level, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL - 1,
            Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw Self.failure(code) }
    }

    deinit {
        // If the stream could not be initialised, this only returns an error code.
        _ = deflateEnd(stream)
        stream.deallocate()
        input.deallocate()
        output.deallocate()
    }

    func restart() throws(TransportError) {
        try source.rewind()
        let code = deflateReset(stream)
        guard code == Z_OK else { throw Self.failure(code) }
        stream.pointee.avail_in = 0
        unread = UnsafeRawBufferPointer(start: nil, count: 0)
        isSourceAtEnd = false
        isFinished = false
    }

    /// Fills `buffer`; returns fewer bytes than it holds only at the end, then 0.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        var filled = 0
        while filled < buffer.count {
            if unread.isEmpty {
                guard !isFinished else { break }
                try compress()
                continue
            }
            let count = min(unread.count, buffer.count - filled)
            let part = UnsafeRawBufferPointer(rebasing: unread[..<count])
            UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyMemory(from: part)
            unread = UnsafeRawBufferPointer(rebasing: unread[count...])
            filled += count
        }
        return filled
    }

    private func compress() throws(TransportError) {
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(output.count)
        while stream.pointee.avail_out > 0, !isFinished {
            if stream.pointee.avail_in == 0, !isSourceAtEnd { try refill() }
            let code = deflate(stream, isSourceAtEnd ? Z_FINISH : Z_NO_FLUSH)
            guard code == Z_OK || code == Z_STREAM_END else { throw Self.failure(code) }
            isFinished = code == Z_STREAM_END
        }
        unread = UnsafeRawBufferPointer(
            rebasing: output[..<(output.count - Int(stream.pointee.avail_out))])
    }

    private func refill() throws(TransportError) {
        let count = try source.read(into: input)
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = UInt32(count)
        isSourceAtEnd = count == 0
    }

    private static func failure(_ code: Int32) -> TransportError {
        .bodyUnreadable(reason: "it could not be compressed: \(String(cString: zError(code)))")
    }
}
