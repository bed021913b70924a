"""An ML2 mechanism driver that binds every port, on every host, at once."""

from neutron_lib import constants
from neutron_lib.api.definitions import portbindings
from neutron_lib.plugins.ml2 import api


class BindAnywhereMechanismDriver(api.MechanismDriver):
    """Bind a port to the first segment offered, without an agent.

    The binding makes the port ACTIVE, and that makes Neutron tell the compute API network-vif-plugged, just as after
    a real agent's work.
    """

    def initialize(self):
        """Nothing to prepare."""

    def bind_port(self, context):
        """Bind to the first segment, as a bridge that filters by itself."""
        for segment in context.segments_to_bind:
            details = {portbindings.CAP_PORT_FILTER: True}
            context.set_binding(
                segment[api.ID], portbindings.VIF_TYPE_OVS, details, status=constants.PORT_STATUS_ACTIVE
            )
            return
