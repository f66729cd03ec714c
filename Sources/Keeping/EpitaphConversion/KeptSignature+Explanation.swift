// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphExplanation

extension KeptSignature {
    package init?(_ explanation: CrashExplanation) {
        guard let signature = explanation.signature else { return nil }
        let frames = explanation.mainThread?.stack?.frames.prefix(8) ?? []
        self.init(
            text: signature.text, identifier: signature.identifier,
            isComplete: frames.allSatisfy { $0.function != nil })
    }
}
