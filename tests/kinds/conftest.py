from tests.kinds.views import logdir as logdir
