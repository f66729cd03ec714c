// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues

extension JSONWriter {
    mutating func write(_ heap: ExplainedHeap?) {
        guard let heap else { return }
        let sampling = heap.sampling
        object(.heap) { writer in
            writer.member(.rate, sampling.rate)
            writer.member(.sampledCount, sampling.sampledCount)
            writer.member(.caughtCount, sampling.caughtCount)
            writer.write(.pool, sampling.pool)
            writer.member(.error, sampling.error?.word)
            writer.member(.address, hex: sampling.errorAddress)
            if !sampling.errorBytes.isEmpty {
                writer.member(.bytes, sampling.errorBytes.hexDigits)
            }
            writer.array(.blocks, sampling.blocks.enumerated()) { writer, item in
                writer.write(item.element, heap.moments.filter { $0.place.block == item.offset })
            }
        }
    }

    private mutating func write(_ block: SampledBlock, _ moments: [ExplainedHeap.Moment]) {
        object { writer in
            writer.member(.address, hex: block.address)
            writer.member(.size, block.size)
            writer.member(.alignment, block.alignment)
            writer.member(.state, block.state.map { "\($0)" })
            writer.member(.type, block.typeName)
            writer.write(.slot, block.slot)
            for moment in moments {
                writer.object(moment.place.isFree ? .freed : .allocated) { $0.write(moment) }
            }
        }
    }

    private mutating func write(_ moment: ExplainedHeap.Moment) {
        member(.secondsBefore, nanoseconds: moment.age)
        member(.threadID, moment.moment.threadID)
        member(.threadName, moment.moment.threadName)
        if !moment.moment.attributes.isEmpty {
            write(.attributes, moment.moment.attributes)
        }
        if let stack = moment.stack { write(stack) }
    }

    private mutating func write(_ key: JSONKey, _ range: Range<UInt64>?) {
        guard let range else { return }
        object(key) { writer in
            writer.member(.address, hex: range.lowerBound)
            writer.member(.size, range.upperBound - range.lowerBound)
        }
    }
}
