// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

/// libzstd. A frame states the memory for its window; the library refuses more than 128 MiB.
final class ZstdDecoder: StreamDecoder {
    private let stream: OpaquePointer

    init() throws(DecompressionError) {
        guard let stream = epitaph_zstd_createDStream() else {
            throw .noLibrary(.zstd, words(epitaph_zstd_problem()))
        }
        self.stream = stream
    }

    deinit {
        _ = epitaph_zstd_freeDStream(stream)
    }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> DecodedPiece {
        var source = epitaph_zstd_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var target = epitaph_zstd_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        let result = epitaph_zstd_decompressStream(stream, &target, &source)
        let failed = epitaph_zstd_isError(result) != 0
        return DecodedPiece(
            consumed: source.pos, produced: target.pos,
            state: failed
                ? .failed(words(epitaph_zstd_getErrorName(result))) : result == 0 ? .end : .more)
    }
}

final class LZ4Decoder: StreamDecoder {
    private let context: OpaquePointer

    init() throws(DecompressionError) {
        var context: OpaquePointer?
        _ = epitaph_lz4_createDecompressionContext(&context, UInt32(EPITAPH_LZ4_VERSION))
        guard let context else { throw .noLibrary(.lz4, words(epitaph_lz4_problem())) }
        self.context = context
    }

    deinit {
        _ = epitaph_lz4_freeDecompressionContext(context)
    }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> DecodedPiece {
        var consumed = input.count
        var produced = output.count
        let result = epitaph_lz4_decompress(
            context, output.baseAddress, &produced, input.baseAddress, &consumed, nil)
        if epitaph_lz4_isError(result) != 0 {
            return DecodedPiece(
                consumed: 0, produced: 0, state: .failed(words(epitaph_lz4_getErrorName(result))))
        }
        return DecodedPiece(
            consumed: consumed, produced: produced, state: result == 0 ? .end : .more)
    }
}

/// liblzma, with slightly more memory than `xz -9` needs.
final class XZDecoder: StreamDecoder {
    private var stream = epitaph_lzma_stream()

    private static let mostMemory: UInt64 = 128 << 20

    init() throws(DecompressionError) {
        guard epitaph_lzma_stream_decoder(&stream, Self.mostMemory, 0) == LZMA_OK else {
            throw .noLibrary(.xz, words(epitaph_lzma_problem()))
        }
    }

    deinit {
        epitaph_lzma_end(&stream)
    }

    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> DecodedPiece {
        stream.next_in = input.bindMemory(to: UInt8.self).baseAddress
        stream.avail_in = input.count
        stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
        stream.avail_out = output.count
        let result = epitaph_lzma_code(&stream, input.isEmpty ? LZMA_FINISH : LZMA_RUN)
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
