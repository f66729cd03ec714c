// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP

protocol TemplateDestination: AdjustableDestination {
    var template: RequestTemplate { get set }
}

extension TemplateDestination {
    package var server: String { template.server }

    package var identity: DestinationIdentity { template.identity }

    var compression: BodyCompression {
        get { template.compression }
        set { template.compression = newValue }
    }

    var timeLimits: TimeLimits {
        get { template.timeLimits }
        set { template.timeLimits = newValue }
    }
}
