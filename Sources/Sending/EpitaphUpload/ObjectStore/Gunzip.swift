// SPDX-License-Identifier: Apache-2.0

import CEpitaphZlib
import EpitaphSystem
import EpitaphValues

enum GzipProblem: Error {
    case tooLarge
    case broken(String)
    case system(SystemError)
}

/// Decompresses a file in the gzip format, RFC 1952, into another one, with buffers of fixed size.
final class Gunzip {
    private let limitBytes: Int
    // zlib keeps a pointer to the stream in its state, so its address must not change.
    private let stream: UnsafeMutablePointer<z_stream>
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

    init(limitBytes: Int) throws(GzipProblem) {
        self.limitBytes = limitBytes
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Adding 16 selects the gzip format: inflateInit2, zlib.h.
        let code = inflateInit2_(
            stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw Self.broken(code) }
    }

    deinit {
        // If the stream could not be initialised, this only returns an error code.
        _ = inflateEnd(stream)
        stream.deallocate()
        input.deallocate()
        output.deallocate()
    }

    func run(
        from source: FileDescriptor, into target: FileDescriptor
    ) throws(GzipProblem) -> Int {
        var position = 0
        var written = 0
        var isAtEnd = false
        while !isAtEnd {
            let count = try read(source, at: position)
            guard count > 0 else { throw .broken("it ends too early") }
            position += count
            stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_in = UInt32(count)
            repeat {
                isAtEnd = try inflateOnce()
                let made = output.count - Int(stream.pointee.avail_out)
                guard made <= limitBytes - written else { throw .tooLarge }
                try write(made, to: target, at: written)
                written += made
            } while !isAtEnd && stream.pointee.avail_out == 0
        }
        // Anything behind the end was not stored.
        guard stream.pointee.avail_in == 0, try read(source, at: position) == 0 else {
            throw .broken("something follows its end")
        }
        return written
    }

    private func inflateOnce() throws(GzipProblem) -> Bool {
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(output.count)
        let code = inflate(stream, Z_NO_FLUSH)
        // Z_BUF_ERROR: there was nothing to do, which is not an error; zlib.h.
        guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
            throw Self.broken(code)
        }
        return code == Z_STREAM_END
    }

    private func read(_ source: FileDescriptor, at position: Int) throws(GzipProblem) -> Int {
        return try rethrowing(source.read(into: input, at: position), as: GzipProblem.system)
    }

    private func write(
        _ count: Int, to target: FileDescriptor, at position: Int
    ) throws(GzipProblem) {
        try rethrowing(
            target.writeAll(UnsafeRawBufferPointer(rebasing: output[..<count]), at: position),
            as: GzipProblem.system)
    }

    private static func broken(_ code: Int32) -> GzipProblem {
        .broken(String(cString: zError(code)))
    }
}
