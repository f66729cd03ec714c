// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphValues

extension StackUnwinder {
    /// The call frame information that the frames at these places need, by the index of their
    /// modules, so that they can be found again when the modules' files are gone.
    ///
    /// - Parameter lookupAddresses: of frames that this unwinder found.
    package func callFrames(at lookupAddresses: some Sequence<UInt64>) -> [Int: KeptCallFrames] {
        var extracts: [Int: CallFrameExtract] = [:]
        var loadBiases: [Int: UInt64] = [:]
        for address in lookupAddresses {
            guard let module = modules.module(at: address), let table = module.callFrames else {
                continue
            }
            extracts[module.index, default: CallFrameExtract()]
                .add(from: table, at: module.fileAddress(address))
            loadBiases[module.index] = module.loadBias
        }
        var kept: [Int: KeptCallFrames] = [:]
        for (index, extract) in extracts where !extract.isEmpty {
            kept[index] = KeptCallFrames(loadBias: loadBiases[index] ?? 0, entries: extract.bytes)
        }
        return kept
    }
}

extension StackUnwinder {
    /// Whether stacks are followed through a module with the call frame information that the report
    /// kept: neither its file nor the dump has any.
    package func hasKeptCallFrames(ofModule index: Int) -> Bool {
        modules.hasKeptCallFrames(index)
    }
}
