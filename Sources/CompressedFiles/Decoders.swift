// SPDX-License-Identifier: Apache-2.0

import CLz4
import CLzma
import CZstd

/// libzstd. A frame says how much memory its window takes; the library refuses more than 128 MiB.
final class ZstdDecoder: StreamDecoder {
    private let stream: OpaquePointer

    init() throws(DecompressionError) {
        guard let stream = ZSTD_createDStream() else {
            throw .noLibrary(.zstd, words(epitaph_zstd_problem()))
        }
        self.stream = stream
    }

    deinit {
        _ = ZSTD_freeDStream(stream)
    }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> DecodedPiece {
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let result = ZSTD_decompressStream(stream, &target, &source)
        let failed = ZSTD_isError(result) != 0
        return DecodedPiece(
            consumed: source.pos, produced: target.pos,
            state: failed
                ? .failed(words(ZSTD_getErrorName(result))) : result == 0 ? .end : .more)
    }
}

/// liblz4.
final class LZ4Decoder: StreamDecoder {
    private let context: OpaquePointer

    init() throws(DecompressionError) {
        var context: OpaquePointer?
        _ = LZ4F_createDecompressionContext(&context, UInt32(EPITAPH_LZ4_VERSION))
        guard let context else { throw .noLibrary(.lz4, words(epitaph_lz4_problem())) }
        self.context = context
    }

    deinit {
        _ = LZ4F_freeDecompressionContext(context)
    }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> DecodedPiece {
        var consumed = input.count
        var produced = output.count
        let result = LZ4F_decompress(
            context, output.baseAddress, &produced, input.baseAddress, &consumed, nil)
        if LZ4F_isError(result) != 0 {
            return DecodedPiece(
                consumed: 0, produced: 0, state: .failed(words(LZ4F_getErrorName(result))))
        }
        return DecodedPiece(
            consumed: consumed, produced: produced, state: result == 0 ? .end : .more)
    }
}

/// liblzma, with the memory that `xz -9` needs and some more.
final class XZDecoder: StreamDecoder {
    private var stream = lzma_stream()

    private static let mostMemory: UInt64 = 128 << 20

    init() throws(DecompressionError) {
        guard lzma_stream_decoder(&stream, Self.mostMemory, 0) == LZMA_OK else {
            throw .noLibrary(.xz, words(epitaph_lzma_problem()))
        }
    }

    deinit {
        lzma_end(&stream)
    }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> DecodedPiece {
        stream.next_in = input.bindMemory(to: UInt8.self).baseAddress
        stream.avail_in = input.count
        stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.avail_out = output.count
        let result = lzma_code(&stream, input.isEmpty ? LZMA_FINISH : LZMA_RUN)
        let state: DecodedPiece.State =
            switch result {
            case LZMA_OK: .more
            case LZMA_STREAM_END: .end
            case LZMA_MEMLIMIT_ERROR: .failed("it wants more than \(Self.mostMemory >> 20) MiB")
            default: .failed("liblzma reports error \(result.rawValue)")
            }
        return DecodedPiece(
            consumed: input.count - stream.avail_in, produced: output.count - stream.avail_out,
            state: state)
    }
}

private func words(_ text: UnsafePointer<CChar>?) -> String {
    text.map { String(cString: $0) } ?? "it cannot be loaded"
}
